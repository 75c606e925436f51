import { InvalidOptionsError, type Violation } from '../definition/errors.js';
import { WEBHOOK_EVENTS, type Webhook } from '../definition/webhook.js';
import { checkOptions } from './check-options.js';

const HOOK: Webhook = { url: 'https://example.com/hook?token=abc', secretName: 'default' };

/** Values of the wrong type come from callers that no compiler checks. */
function faultsOf(webhook: unknown): readonly Violation[] {
  try {
    checkOptions({ webhook: webhook as Webhook });
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.violations;
    throw error;
  }
  return [];
}

describe('a webhook', () => {
  it.each<Webhook>([
    HOOK,
    { ...HOOK, url: 'http://localhost:8080/' },
    { ...HOOK, url: `https://example.com/${'a'.repeat(2_028)}` },
    { ...HOOK, events: ['job.failed'] },
    { ...HOOK, events: WEBHOOK_EVENTS },
  ])('may be %j', (webhook) => {
    expect(faultsOf(webhook)).toEqual([]);
  });

  it.each([
    ['text', '/webhook', 'must be an object with a url and the name of a secret'],
    [null, '/webhook', 'must be an object with a url and the name of a secret'],
    [[], '/webhook', 'must be an object with a url and the name of a secret'],
    [{ ...HOOK, url: '' }, '/webhook/url', 'must have 1 to 2048 characters'],
    [{ ...HOOK, url: `https://example.com/${'a'.repeat(2_029)}` }, '/webhook/url', 'must have 1 to 2048 characters'],
    [{ ...HOOK, url: 'example.com' }, '/webhook/url', 'must be an https: or http: URL'],
    [{ ...HOOK, url: 'ftp://example.com' }, '/webhook/url', 'must be an https: or http: URL'],
    [{ ...HOOK, url: 'https://' }, '/webhook/url', 'must be an https: or http: URL'],
    [{ ...HOOK, url: 'https://a:b@example.com' }, '/webhook/url', 'must not hold a user or a password'],
    [{ ...HOOK, url: 'https://a@example.com' }, '/webhook/url', 'must not hold a user or a password'],
    [
      { ...HOOK, url: 'https://bücher.example' },
      '/webhook/url',
      'must have printable ASCII characters only, others in their encoded form',
    ],
    [
      { ...HOOK, url: 'https://example.com/a b' },
      '/webhook/url',
      'must have printable ASCII characters only, others in their encoded form',
    ],
    [{ ...HOOK, url: 7 }, '/webhook/url', 'must be a string'],
    [{ ...HOOK, secretName: '' }, '/webhook/secretName', 'must have 1 to 64 characters'],
    [{ url: HOOK.url }, '/webhook/secretName', 'must be a string'],
  ])('may not be %j', (webhook, pointer, detail) => {
    expect(faultsOf(webhook)).toEqual([{ pointer, detail }]);
  });

  it.each([[[]], [['job.ended']], [['job.failed', 'job.failed']], ['job.failed'], [{}]])('may not ask for %j', (events) => {
    const detail = 'must be a list of at least one of job.succeeded, job.failed, job.cancelled, job.expired, none of them twice';
    expect(faultsOf({ ...HOOK, events })).toEqual([{ pointer: '/webhook/events', detail }]);
  });

  it('is never repeated in what is said of it', () => {
    const secretive = { ...HOOK, url: 'https://user:s3cr3t@example.com' };
    expect(JSON.stringify(faultsOf(secretive))).not.toContain('s3cr3t');
  });
});
