import { randomBytes } from 'node:crypto';
import { loadApiConfig } from './api-config.js';
import { ConfigError } from './config-error.js';

const SECRET = `whsec_${'A'.repeat(32)}`;
const secretOf = (bytes: Buffer): string => `whsec_${bytes.toString('base64')}`;

function read(env: NodeJS.ProcessEnv) {
  return loadApiConfig(env, false);
}

function faultOf(env: NodeJS.ProcessEnv): string {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return [...error.faults.values()].join('\n');
    throw error;
  }
  return '';
}

describe('WEBHOOK_SECRETS', () => {
  it('holds one secret a name, or several during a rotation', () => {
    const [first, second, third] = [randomBytes(24), randomBytes(32), randomBytes(25)];
    const text = `shop=${secretOf(first)}|${secretOf(second)}, ops.2=${secretOf(third).replace(/=+$/, '')}`;
    expect(read({ WEBHOOK_SECRETS: text }).webhookSecrets).toEqual(
      new Map([
        ['shop', [first, second]],
        ['ops.2', [third]],
      ]),
    );
  });

  it.each([
    [SECRET, 'entry 1: it is not of the form name=secret'],
    ['shop', 'entry 1: it is not of the form name=secret'],
    [`=${SECRET}`, 'entry 1: its name is not 1 to 64 letters, digits, ".", "_" or "-"'],
    [`a b=${SECRET}`, 'entry 1: its name is not 1 to 64 letters, digits, ".", "_" or "-"'],
    [`shop=${SECRET},shop=${SECRET}`, 'entry 2: its name stands there twice'],
    [`shop=${SECRET},`, 'entry 2: it is not of the form name=secret'],
    ['shop=AAAA', 'entry 1: its secret 1 does not begin with whsec_'],
    [`shop=${SECRET}|`, 'entry 1: its secret 2 does not begin with whsec_'],
    ['shop=whsec_', 'entry 1: its secret 1 is no base64'],
    ['shop=whsec_AAAA$AAAA', 'entry 1: its secret 1 is no base64'],
    [`shop=whsec_${'-_'.repeat(20)}`, 'entry 1: its secret 1 is no base64'],
    [`shop=${secretOf(randomBytes(23))}`, 'entry 1: its secret 1 has 23 bytes, at least 24 are needed'],
    [`shop=${Array.from({ length: 6 }, () => SECRET).join('|')}`, 'entry 1: it has more than 5 secrets'],
  ])('says what is wrong with %s and shows none of it', (text, because) => {
    const fault = faultOf({ WEBHOOK_SECRETS: text });
    expect(fault).toContain(`found a value that is not shown (${because}).`);
    expect(fault).not.toContain('AAAA');
  });
});

describe('OUTBOUND_ALLOW', () => {
  it('holds names and addresses', () => {
    const hosts = ['hooks.internal', '10.0.0.7', '::1'];
    expect(read({ OUTBOUND_ALLOW: hosts.join(' , ') }).outboundAllow).toEqual(hosts);
  });

  it.each(['http://a.example', 'a.example:80', '10.0.0.0/8', 'a b', 'a,,b', '[::1]', '*.example'])('refuses %s', (text) => {
    expect(faultOf({ OUTBOUND_ALLOW: text })).toMatch(/^expected a comma list of host names and IP addresses/);
  });
});
