import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { composeMail } from '../../apps/worker/src/handlers/email-send/message/mail-message.js';
import { FileTransport } from '../../apps/worker/src/handlers/email-send/transport/file-transport.js';

const never = new AbortController().signal;
let folder: string;

function mail(subject: string, domain = 'example.com') {
  return composeMail({
    sender: { name: 'Antrean', address: `antrean@${domain}`, domain },
    to: 'budi@example.com',
    content: { subject, html: `<p>${subject}</p>`, text: subject },
    deliveryId: 'a'.repeat(40),
    jobId: 'email.send_01K0000000000000000000000A',
    date: new Date('2026-01-02T03:04:05Z'),
  });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mail-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('mails as files', () => {
  it('are written whole into a folder that is made when it is missing', async () => {
    const inner = join(folder, 'a/b');
    const message = await mail('Halo');
    const receipt = await new FileTransport(inner).send(message, never);
    const name = `${'a'.repeat(40)}.eml`;
    expect(receipt).toEqual({ via: 'file', accepted: ['budi@example.com'], response: `Written as ${name}` });
    expect(await readdir(inner)).toEqual([name]);
    expect(await PostalMime.parse(await readFile(join(inner, name)))).toMatchObject({
      subject: 'Halo',
      messageId: message.messageId,
    });
  });

  it('replace the file of the same mail', async () => {
    const transport = new FileTransport(folder);
    await transport.send(await mail('first'), never);
    await transport.send(await mail('second'), never);
    expect(await readdir(folder)).toEqual([`${'a'.repeat(40)}.eml`]);
    expect(await readFile(join(folder, `${'a'.repeat(40)}.eml`), 'utf8')).toContain('Subject: second');
  });

  it.each(['<../../etc/x@example.com>', '<a/b\\c:d@example.com>', `<${'x'.repeat(300)}@example.com>`])(
    'stay in their folder whatever the Message-ID: %s',
    async (messageId) => {
      await new FileTransport(folder).send({ ...(await mail('Halo')), messageId }, never);
      expect(await readdir(folder)).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{1,100}\.eml$/)]);
    },
  );

  it('pass when the folder cannot be made', async () => {
    await writeFile(join(folder, 'taken'), '');
    await expect(new FileTransport(join(folder, 'taken')).send(await mail('Halo'), never)).rejects.toMatchObject({
      code: 'file_eexist',
      fate: 'not_taken',
      permanent: false,
    });
  });

  it('rid their folder of those that a process left half-written, and of nothing else', async () => {
    const [left, underWay] = ['.a.eml.1.tmp', '.b.eml.2.tmp'];
    const longAgo = new Date(Date.now() - 120_000);
    for (const name of [left, underWay, 'old.eml', '.gitkeep']) await writeFile(join(folder, name), 'Subject: Ha');
    for (const name of [left, 'old.eml', '.gitkeep']) await utimes(join(folder, name), longAgo, longAgo);
    await new FileTransport(folder).send(await mail('Halo'), never);
    expect((await readdir(folder)).sort()).toEqual([underWay, '.gitkeep', `${'a'.repeat(40)}.eml`, 'old.eml']);
  });

  it('leave nothing behind when the signal has fired', async () => {
    await expect(new FileTransport(folder).send(await mail('Halo'), AbortSignal.abort())).rejects.toMatchObject({
      fate: 'not_taken',
    });
    expect(await readdir(folder)).toEqual([]);
  });
});
