import type { Figure, Reading, Report } from './report.js';
import type { Spread } from './statistics.js';

const COLUMNS = ['figure', 'unit', 'Antrean', 'lowest–highest', 'BullMQ', 'lowest–highest', 'ratio', '', 'bare Redis'];

/** The report for people: a line a figure. */
export function tableOf(report: Report<object>): string {
  const { settings, figures } = report;
  const rows = figures.map((figure) => rowOf(figure, settings.figures[figure.name]));
  const widths = COLUMNS.map((title, column) =>
    Math.max(...[COLUMNS, ...rows].map((row) => row[column]?.length ?? title.length)),
  );
  return [COLUMNS, ...rows].map((row) => lineOf(row, widths)).join('\n');
}

function rowOf({ name, unit, ours, peer, ratio }: Figure, reading: Reading | undefined): string[] {
  return [
    name,
    unit,
    numberOf(ours),
    spreadOf(reading?.spread.ours),
    numberOf(peer),
    spreadOf(reading?.spread.peer),
    `${ratio.toFixed(2)}×`,
    reading?.better === 'lower' ? '(less is better)' : '',
    reading?.bare === undefined ? '' : `${numberOf(reading.bare.median)} ${reading.bare.setting}`,
  ];
}

function lineOf(row: readonly string[], widths: readonly number[]): string {
  const left = new Set([0, 1, 7, 8]);
  return row
    .map((cell, column) => (left.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
    .join('  ')
    .trimEnd();
}

function spreadOf(spread: Spread | undefined): string {
  return spread === undefined ? '' : `${numberOf(spread.lowest)}–${numberOf(spread.highest)}`;
}

function numberOf(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 3 : value < 1_000 ? 1 : 0 });
}
