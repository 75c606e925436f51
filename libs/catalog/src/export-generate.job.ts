import { IsIn } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { defineDocument } from './define-document.js';
import { IsOwner } from './owner.decorator.js';

const FORMATS = ['csv', 'json', 'pdf'] as const;

/** Whose export, and as what. */
export class ExportGeneratePayload {
  @IsOwner('The owner of the export.')
  readonly user_id!: string;

  @IsIn(FORMATS, { message: `$property must be one of ${FORMATS.join(', ')}` })
  @JSONSchema({ description: 'CSV and JSON in UTF-8, for programs, or PDF on A4.' })
  readonly format!: (typeof FORMATS)[number];
}

/**
 * Writes all customers with all their fields: the shop's data belong to its staff, not to one user each, so every owner gets the
 * same.
 */
export const ExportGenerate = defineDocument('export.generate', ExportGeneratePayload);
