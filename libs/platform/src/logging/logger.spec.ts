import { Writable } from 'node:stream';
import { createLogger, type LogLevel, type Logger } from './logger.js';
import { NestLog } from './nest-log.js';

/** One line of the log. */
type Line = Readonly<Record<string, unknown>>;

function logTo(lines: Line[], level: LogLevel = 'trace'): Logger {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  });
  return createLogger({ app: 'worker', level, format: 'json' }, destination);
}

describe('createLogger', () => {
  it('writes a JSON line with ISO time, textual level, the application and the fields', () => {
    const lines: Line[] = [];
    logTo(lines).info({ job_id: 'email.send_1' }, 'job settled');
    const [{ time, ...rest } = {}] = lines;
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(rest).toEqual({ level: 'info', app: 'worker', job_id: 'email.send_1', msg: 'job settled' });
  });

  it('leaves out what is below its level', () => {
    const lines: Line[] = [];
    logTo(lines, 'warn').info('too quiet');
    expect(lines).toEqual([]);
  });

  it('shows no payload and no credentials even when they are handed to it, in children too', () => {
    const lines: Line[] = [];
    const headers = { authorization: 'Bearer hunter2', cookie: 'hunter2', accept: '*/*' };
    logTo(lines)
      .child({ job_id: '1' })
      .warn({ payload: { to: 'hunter2' }, req: { headers }, headers }, 'oops');
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    expect(lines).toMatchObject([{ payload: '[redacted]', headers: { accept: '*/*' } }]);
  });

  it('shows name, code, message, stack and causes of an error, and nothing that a library hung on it', () => {
    const lines: Line[] = [];
    const cause = Object.assign(new TypeError('inner'), { code: 'E_INNER' });
    const err = Object.assign(new Error('outer', { cause }), { command: { name: 'set', args: ['hunter2'] } });
    logTo(lines).error({ err }, 'failed');
    expect(lines).toMatchObject([
      { err: { name: 'Error', message: 'outer', stack: err.stack, cause: { name: 'TypeError', code: 'E_INNER' } } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it.each([
    ['undefined', undefined],
    ['a text', 'just a text'],
    ['an object without a prototype', Object.create(null)],
    [
      'an error whose message throws',
      Object.defineProperty(new Error(), 'message', {
        get: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('survives %s in place of an error', (_what, err) => {
    const lines: Line[] = [];
    logTo(lines).error({ err }, 'failed');
    expect(lines).toMatchObject([{ msg: 'failed' }]);
  });

  it('survives an error that is its own cause', () => {
    const lines: Line[] = [];
    const err = new Error('loop');
    err.cause = err;
    logTo(lines).error({ err }, 'failed');
    expect(lines).toMatchObject([{ err: { message: 'loop', cause: { message: 'loop' } } }]);
  });
});

describe('NestLog', () => {
  const lines: Line[] = [];
  const nestLog = new NestLog(logTo(lines));

  beforeEach(() => {
    lines.length = 0;
  });

  it('keeps the context as a field', () => {
    nestLog.log('worth knowing', 'X');
    nestLog.warn('careful', 'X');
    nestLog.debug('detail', 'X');
    nestLog.verbose('more detail', 'X');
    nestLog.fatal('the end', 'X');
    expect(lines).toMatchObject([
      { level: 'info', context: 'X', msg: 'worth knowing' },
      { level: 'warn', context: 'X' },
      { level: 'debug', context: 'X' },
      { level: 'trace', context: 'X' },
      { level: 'fatal', context: 'X' },
    ]);
  });

  it('tells an error’s stack from its context', () => {
    const stack = 'Error: x\n    at y (z.js:1:1)';
    nestLog.error('x', stack, 'ExceptionsHandler');
    nestLog.error('x', stack);
    nestLog.error(new TypeError('bad'), 'ExceptionsHandler');
    expect(lines).toMatchObject([
      { msg: 'x', stack, context: 'ExceptionsHandler' },
      { msg: 'x', stack },
      { msg: 'bad', err: { name: 'TypeError' }, context: 'ExceptionsHandler' },
    ]);
    expect(lines[1]).not.toHaveProperty('context');
  });

  it('writes whatever is no text on one line, circles included', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    nestLog.log(circle, 'X');
    expect(lines).toMatchObject([{ msg: '<ref *1> { self: [Circular *1] }', context: 'X' }]);
  });

  it('lowers the lines about the wiring, and the echo of a failed start, to debug', () => {
    nestLog.log('Mapped {/health, GET} route', 'RouterExplorer');
    nestLog.error(new Error('no handler'), 'ExceptionHandler');
    expect(lines).toMatchObject([{ level: 'debug' }, { level: 'debug' }]);
  });
});
