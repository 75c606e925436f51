import { ExportGenerate, ReportGenerate } from '@antrean/catalog';
import type { JobDefinition } from '@antrean/jobs';
import type { MadeFile } from '../files/file-faults.js';

/** A type whose jobs write one file each, which is read under a path of its own. */
export interface DocumentKind extends MadeFile {
  readonly path: 'reports' | 'exports';
  readonly noun: 'report' | 'export';
  readonly definition: JobDefinition;
}

export const REPORTS: DocumentKind = { path: 'reports', noun: 'report', again: 'POST /reports', definition: ReportGenerate };
export const EXPORTS: DocumentKind = { path: 'exports', noun: 'export', again: 'POST /exports', definition: ExportGenerate };

/** The kind that the jobs of a type are of; undefined for all other types. */
export function documentKindOf(type: string): DocumentKind | undefined {
  return [REPORTS, EXPORTS].find(({ definition }) => definition.type === type);
}
