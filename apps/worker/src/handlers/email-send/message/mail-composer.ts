import type { SendEmailPayload } from '@antrean/catalog';
import type { Sender } from '@antrean/platform';
import { deliveryId } from './delivery-id.js';
import { composeMail, type MailMessage } from './mail-message.js';
import type { MailTemplates } from './mail-templates.js';

/** A mail, and what the delivery ledger knows it by. */
export interface ComposedMail {
  readonly deliveryId: string;
  readonly message: MailMessage;
}

/** Makes the mail that a payload asks for. */
export class MailComposer {
  constructor(
    private readonly templates: MailTemplates,
    private readonly sender: Sender,
  ) {}

  /** @throws {PermanentError} when the payload and the template do not fit, see {@link MailTemplates.render}. */
  async compose(payload: SendEmailPayload, jobId: string): Promise<ComposedMail> {
    const { to, template, subject, variables = {}, message_key } = payload;
    const id = deliveryId(message_key === undefined ? { jobId, to } : { messageKey: message_key });
    const content = this.templates.render(template, variables, subject);
    const message = await composeMail({ sender: this.sender, to, content, deliveryId: id, jobId, date: new Date() });
    return { deliveryId: id, message };
  }
}
