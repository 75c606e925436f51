import { parseSender } from './sender.js';

describe('a sender', () => {
  it.each([
    ['antrean@localhost', { name: '', address: 'antrean@localhost', domain: 'localhost' }],
    ['Antrean <antrean@example.com>', { name: 'Antrean', address: 'antrean@example.com', domain: 'example.com' }],
    ['"Shop, the" <shop@example.com>', { name: 'Shop, the', address: 'shop@example.com', domain: 'example.com' }],
    ['Bücher <post@bücher.example>', { name: 'Bücher', address: 'post@xn--bcher-kva.example', domain: 'xn--bcher-kva.example' }],
  ])('is read from %j', (text, sender) => {
    expect(parseSender(text)).toEqual(sender);
  });

  it.each([
    '',
    'Antrean',
    'a@example.com, b@example.com',
    'büro@example.com',
    '"a b"@example.com',
    'a@[1.2.3.4]',
    'antrean@',
    'a..b@example.com',
    'Team: a@example.com;',
    'Shop\n<shop@example.com>',
    'Shop <shop@example.com>\r\nBcc: all@example.com',
  ])('is not %j', (text) => {
    expect(() => parseSender(text)).toThrow(`"${text}" is no sender: write one mailbox, such as Antrean <antrean@example.com>.`);
  });
});
