import type { LookupAddress } from 'node:dns';
import { OutboundPolicy, OutboundRefusedError } from './outbound-policy.js';

/** How one may write an address that is not to be called. */
const PRIVATE_HOSTS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '10.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '0xc0a80101',
  '100.64.0.1',
  '168.63.129.16',
  '0xa83f8110',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:8.8.8.8]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fec0::1]',
  '[ff02::1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2001::1]',
  '[2001:db8::1]',
  '[100::1]',
  '[5f00::1]',
  '[4000::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
];

describe('the URLs that may be called', () => {
  const policy = new OutboundPolicy(['Hooks.Internal', '10.0.0.7', 'fd00::7']);

  it.each([
    'https://example.com/hook?token=x',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/',
    'https://example.com.:444/',
  ])('are of the open Internet: %s', (url) => {
    expect(policy.faultOf(url)).toBeUndefined();
  });

  it.each(PRIVATE_HOSTS)('lead nowhere else: https://%s', (host) => {
    expect(policy.faultOf(`https://${host}/`)).toMatch(/^must not lead to a private, local or reserved address/);
  });

  it.each([
    ['http://example.com/', /^must be https; http is for the hosts in OUTBOUND_ALLOW only$/],
    ['http://169.254.169.254/', /^must be https/],
    ['https://user:password@example.com/', /^must not hold a user or a password$/],
    ['https://user@hooks.internal/', /^must not hold a user or a password$/],
    ['https://example.com@127.0.0.1/', /^must not hold a user/],
    ['ftp://example.com/', /^must be an https: or http: URL$/],
    ['file:///etc/passwd', /^must be an https: or http: URL$/],
    ['gopher://127.0.0.1:6379/_', /^must be an https: or http: URL$/],
    ['https://', /^must be an https: or http: URL$/],
    ['https://256.0.0.1/', /^must be an https: or http: URL$/],
    ['https://[fe80::1%25eth0]/', /^must be an https: or http: URL$/],
    ['nonsense', /^must be an https: or http: URL$/],
  ])('are not like %s', (url, fault) => {
    expect(policy.faultOf(url)).toMatch(fault);
  });

  it.each([
    'http://hooks.internal/',
    'https://HOOKS.internal./',
    'http://10.0.0.7:8080/',
    'https://0xa000007/',
    'http://[fd00::7]/',
  ])('may be %s when the operator allowed its host', (url) => {
    expect(policy.faultOf(url)).toBeUndefined();
  });

  it.each(['http://a.hooks.internal/', 'https://10.0.0.8/', 'http://[fd00::8]/'])(
    'are not %s, which is near to it only',
    (url) => {
      expect(policy.faultOf(url)).toBeDefined();
    },
  );
});

describe('a lookup for a connection', () => {
  const answering = (addresses: readonly string[]): OutboundPolicy =>
    new OutboundPolicy(['hooks.internal'], (_host, callback) => {
      callback(
        null,
        addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    });
  const look = (policy: OutboundPolicy, host: string, options: { all?: boolean; family?: number } = {}) =>
    new Promise<unknown>((resolve, reject) => {
      policy.lookup(host, options, (error, address, family) => {
        if (error === null) resolve(family === undefined ? address : [address, family]);
        else reject(error);
      });
    });

  it('answers with public addresses and leaves out all others', async () => {
    const policy = answering(['10.0.0.1', '8.8.8.8', '::1', '2606:4700::1111']);
    expect(await look(policy, 'example.com', { all: true })).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await look(policy, 'example.com')).toEqual(['8.8.8.8', 4]);
    expect(await look(policy, 'example.com', { family: 6 })).toEqual(['2606:4700::1111', 6]);
  });

  it.each([
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    'fd00:ec2::254',
    'fe80::1',
  ])('refuses a name that stands for %s', async (address) => {
    await expect(look(answering([address]), 'example.com', { all: true })).rejects.toThrow(OutboundRefusedError);
    await expect(look(answering([address]), 'example.com')).rejects.toThrow('The host has no address that may be called.');
    expect(await look(answering([address]), 'hooks.internal')).toEqual([address, address.includes(':') ? 6 : 4]);
  });

  it('tells what the resolver says', async () => {
    const policy = new OutboundPolicy([], (_host, callback) => {
      callback(new Error('ENOTFOUND'), []);
    });
    await expect(look(policy, 'example.com')).rejects.toThrow('ENOTFOUND');
  });
});
