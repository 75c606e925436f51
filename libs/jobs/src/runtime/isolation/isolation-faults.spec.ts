import { isolationFaults as faultsOf } from './isolation-faults.js';

const inThread = { type: 'report.generate', isolation: 'thread' } as const;
const inProcess = { type: 'email.send', isolation: 'none' } as const;
const file = new URL('file:///app/report.module.js');

function isolationFaults(definitions: Parameters<typeof faultsOf>[0], isolated: Readonly<Record<string, URL>>): string[] {
  return faultsOf(definitions, isolated, () => true);
}

describe('isolationFaults', () => {
  it('finds nothing where every isolated type has a file, and no other type has', () => {
    expect(isolationFaults([inThread, inProcess], { 'report.generate': file })).toEqual([]);
    expect(isolationFaults([inProcess], {})).toEqual([]);
  });

  it('names an isolated type without a file, with the line to add', () => {
    expect(isolationFaults([inThread, inProcess], {})).toEqual([
      `"report.generate" says isolation: 'thread', but forWorker({ isolated }) names no file for it. ` +
        `Add 'report.generate': new URL('./its.module.js', import.meta.url).`,
    ]);
  });

  it('names a file of a type that is not isolated, or not known', () => {
    const faults = isolationFaults([inProcess], { 'email.send': file, 'no.such': file });
    expect(faults).toEqual([
      expect.stringMatching(/a file for "email\.send", whose definition does not say isolation: 'thread'/),
      expect.stringMatching(/a file for "no\.such", which is not among the definitions/),
    ]);
  });

  it('takes file: URLs only', () => {
    expect(isolationFaults([inThread], { 'report.generate': new URL('https://example.com/x.js') })).toEqual([
      expect.stringContaining('it is a https: URL'),
    ]);
    // What JavaScript can hand over in spite of the type.
    const text = './report.module.js' as unknown as URL;
    expect(isolationFaults([inThread], { 'report.generate': text })).toEqual([expect.stringContaining('not as a URL')]);
  });

  it('asks for no file of a type that the worker does not run, but looks at one that is named', () => {
    expect(faultsOf([inThread], {}, () => false)).toEqual([]);
    expect(faultsOf([inProcess], { 'email.send': file }, () => false)).toHaveLength(1);
  });

  it('is not led astray by names that every object inherits', () => {
    expect(isolationFaults([{ type: 'constructor', isolation: 'thread' }], {})).toHaveLength(1);
  });
});
