import { formatTraceparent, newTraceContext, parseTraceparent, parseTracestate } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('parseTraceparent', () => {
  it('reads trace, caller and flags', () => {
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, parentId: SPAN, flags: 1 });
  });

  it('reads what it knows of a later version', () => {
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-00-what-the-future-brings`)).toEqual({
      traceId: TRACE,
      parentId: SPAN,
      flags: 0,
    });
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}`,
  ])('takes %j as absent', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});

describe('newTraceContext', () => {
  it('begins a new trace each time, in a form that others can read', () => {
    const first = newTraceContext();
    expect(parseTraceparent(formatTraceparent(first))).toEqual(first);
    expect(newTraceContext().traceId).not.toBe(first.traceId);
  });
});

describe('formatTraceparent', () => {
  it('passes on the sampled flag only', () => {
    expect(formatTraceparent({ traceId: TRACE, parentId: SPAN, flags: 255 })).toBe(`00-${TRACE}-${SPAN}-01`);
    expect(formatTraceparent({ traceId: TRACE, parentId: SPAN, flags: 254 })).toBe(`00-${TRACE}-${SPAN}-00`);
  });
});

describe('parseTracestate', () => {
  it('keeps the valid members in their order', () => {
    expect(parseTracestate('rojo=00f067aa0ba902b7, no value,congo=t61rcWkgMzE')).toBe('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE');
  });

  it.each([undefined, '', 'nonsense', `a=${'x'.repeat(600)}`])('takes %j as absent', (text) => {
    expect(parseTracestate(text)).toBeUndefined();
  });
});
