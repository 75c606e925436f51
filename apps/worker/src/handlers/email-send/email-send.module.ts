import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import { parseSender } from '@antrean/platform';
import type { OnUnknown } from '@antrean/shop';
import { EmailSendHandler, ON_UNKNOWN } from './email-send.handler.js';
import { MailComposer } from './message/mail-composer.js';
import { MailTemplates } from './message/mail-templates.js';
import { FileTransport } from './transport/file-transport.js';
import { MailTransport } from './transport/mail-transport.js';
import { SmtpTransport } from './transport/smtp-transport.js';

export interface EmailSendOptions {
  /** Without one, mails are written to `mailDir`. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  readonly mailDir: string;
  readonly onUnknown: OnUnknown;
}

const TEMPLATES = join(import.meta.dirname, 'templates');

/** Runs jobs of the type `email.send`; its ledger is the shop's. The application does not start with a broken template or a sender that is none. */
@Module({})
export class EmailSendModule {
  static register({ smtpUrl, mailFrom, mailDir, onUnknown }: EmailSendOptions): DynamicModule {
    const sender = parseSender(mailFrom);
    return {
      module: EmailSendModule,
      providers: [
        EmailSendHandler,
        { provide: ON_UNKNOWN, useValue: onUnknown },
        {
          provide: MailComposer,
          useFactory: async () => new MailComposer(await MailTemplates.load(TEMPLATES), sender),
        },
        {
          provide: MailTransport,
          useFactory: () => (smtpUrl === undefined ? new FileTransport(mailDir) : new SmtpTransport(smtpUrl)),
        },
      ],
    };
  }
}
