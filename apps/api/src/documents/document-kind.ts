import { ExportGenerate, ReportGenerate } from '@antrean/catalog';
import type { JobDefinition } from '@antrean/jobs';

/** A type whose jobs write one file each, which is read under a path of its own. */
export interface DocumentKind {
  readonly path: 'reports' | 'exports';
  /** To people. */
  readonly noun: 'report' | 'export';
  readonly definition: JobDefinition;
}

export const REPORTS: DocumentKind = { path: 'reports', noun: 'report', definition: ReportGenerate };
export const EXPORTS: DocumentKind = { path: 'exports', noun: 'export', definition: ExportGenerate };

/** The kind that the jobs of a type are of; undefined for all other types. */
export function documentKindOf(type: string): DocumentKind | undefined {
  return [REPORTS, EXPORTS].find(({ definition }) => definition.type === type);
}
