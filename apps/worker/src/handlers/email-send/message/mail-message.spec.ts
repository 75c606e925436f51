import PostalMime from 'postal-mime';
import { composeMail, type MailParts } from './mail-message.js';

const parts: MailParts = {
  sender: { name: 'Antrean Büro', address: 'antrean@example.com', domain: 'example.com' },
  to: 'budi@bücher.example',
  content: { subject: 'Selamat datang, Budi 🎉', html: '<p>Halo 🎉</p>', text: 'Halo 🎉\n' },
  deliveryId: 'a'.repeat(40),
  jobId: 'email.send_01K0000000000000000000000A',
  date: new Date('2026-01-02T03:04:05.678Z'),
};

describe('a composed mail', () => {
  it('carries the header fields and both parts', async () => {
    const message = await composeMail(parts);
    const email = await PostalMime.parse(message.raw);
    expect(message).toMatchObject({
      messageId: `<${'a'.repeat(40)}@example.com>`,
      from: 'antrean@example.com',
      to: 'budi@xn--bcher-kva.example',
    });
    expect(email).toMatchObject({
      from: { name: 'Antrean Büro', address: 'antrean@example.com' },
      to: [{ address: 'budi@xn--bcher-kva.example' }],
      subject: 'Selamat datang, Budi 🎉',
      messageId: `<${'a'.repeat(40)}@example.com>`,
      date: '2026-01-02T03:04:05.000Z',
    });
    expect(email.html?.trim()).toBe('<p>Halo 🎉</p>');
    expect(email.text?.trim()).toBe('Halo 🎉');
    const header = new Map(email.headers.map(({ key, value }) => [key, value]));
    expect(header.get('auto-submitted')).toBe('auto-generated');
    expect(header.get('x-antrean-job-id')).toBe(parts.jobId);
    expect(header.get('content-type')).toMatch(/^multipart\/alternative;/);
    expect(header.has('reply-to')).toBe(false);
  });

  it('is ASCII with CRLF lines of at most 998 characters, whatever its content', async () => {
    const content = { subject: '🎉'.repeat(60), html: `<p>\n${'ü'.repeat(3_000)}</p>`, text: `one\ntwo\n${'x'.repeat(3_000)}` };
    const raw = (await composeMail({ ...parts, content })).raw.toString('latin1');
    expect(raw).toMatch(/^[\r\n\t -~]+$/);
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
  });
});
