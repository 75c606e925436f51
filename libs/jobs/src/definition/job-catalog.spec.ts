import { UnknownJobTypeError } from './errors.js';
import { JobCatalog } from './job-catalog.js';
import { defineJob } from './job-definition.js';

class Payload {
  key = '';
}

const Mail = defineJob('mail.send', { payload: Payload });
const Report = defineJob('report.make', { payload: Payload });

describe('JobCatalog', () => {
  it('finds each definition by its type, in the order they were given', () => {
    const catalog = new JobCatalog([Report, Mail]);
    expect(catalog.types).toEqual(['report.make', 'mail.send']);
    expect(catalog.all).toEqual([Report, Mail]);
    expect(catalog.get('mail.send')).toBe(Mail);
    expect(catalog.find('report.make')).toBe(Report);
  });

  it('has no definition of a type that nobody gave it, whatever its name', () => {
    const catalog = new JobCatalog([Mail]);
    for (const type of ['mail', '', 'constructor', '__proto__', 'toString']) expect(catalog.find(type)).toBeUndefined();
  });

  it('names the known types to who asks for another', () => {
    const catalog = new JobCatalog([Mail, Report]);
    expect(() => catalog.get('mail.sent')).toThrow(new UnknownJobTypeError('mail.sent', ['mail.send', 'report.make']));
    expect(() => catalog.get('mail.sent')).toThrow('There is no job type "mail.sent". Known types: mail.send, report.make.');
  });

  it('lets nobody submit jobs of an internal type, and does not name it', () => {
    const Tell = defineJob('mail.tell', { payload: Payload, internal: true });
    const catalog = new JobCatalog([Mail, Tell]);
    expect(catalog.get('mail.tell')).toBe(Tell);
    expect(catalog.open).toEqual([Mail]);
    expect(catalog.getOpen('mail.send')).toBe(Mail);
    for (const type of ['mail.tell', 'mail.sent']) {
      expect(() => catalog.getOpen(type)).toThrow(new UnknownJobTypeError(type, ['mail.send']));
    }
  });

  it('refuses two definitions of one type', () => {
    expect(() => new JobCatalog([Mail, Report, defineJob('mail.send', { payload: Payload })])).toThrow(
      new TypeError('The job type "mail.send" is defined twice.'),
    );
  });

  it('may be empty', () => {
    expect(new JobCatalog([]).types).toEqual([]);
  });
});
