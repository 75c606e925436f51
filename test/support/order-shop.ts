import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Customers, type Database } from '@antrean/shop';
import type { OrderView } from '../../apps/api/src/orders/order.view.js';
import { SmtpTestServer } from './smtp-server.js';
import { folderStorage, type TestStorage } from './stored-files.js';

/** What orders do to the world. */
export interface Effects {
  /** Ids of orders, as often as a mail confirmed them. */
  readonly mails: readonly string[];
  /** … as often as a file is their invoice. */
  readonly invoices: readonly string[];
  /** … as often as a line tells of them. */
  readonly events: readonly string[];
}

/** A shop with customers, whose mails, files and events are counted. */
export class OrderShop {
  private constructor(
    private readonly folder: string,
    private readonly smtp: SmtpTestServer,
    private readonly files: TestStorage,
    /** Ids. */
    readonly customers: readonly string[],
  ) {}

  static async open(database: Database): Promise<OrderShop> {
    const entries = Array.from({ length: 10 }, (_, nth) => ({ email: `buyer-${nth}@example.com`, name: `Buyer ${nth} 田中` }));
    await database.transaction((transaction) => new Customers(database).upsert(transaction, entries));
    const rows = await database.tables.selectFrom('customers').select('id').execute();
    const folder = await mkdtemp(join(tmpdir(), 'antrean-shop-'));
    const [smtp, files] = await Promise.all([SmtpTestServer.start(), folderStorage()]);
    return new OrderShop(
      folder,
      smtp,
      files,
      rows.map(({ id }) => id),
    );
  }

  /** For the worker. */
  get env(): Readonly<Record<string, string>> {
    return { SMTP_URL: this.smtp.url, STORAGE_URL: this.files.url, ANALYTICS_FILE: this.eventFile };
  }

  /** A body for `POST /orders`. */
  order(nth: number): object {
    const items = [
      { sku: 'TEA-01', name: 'Jasmine tea, 250 g', quantity: 1 + (nth % 5), unit_price_minor: 890 },
      { sku: `SKU-${nth}`, name: 'Mug "Morning"', quantity: 1, unit_price_minor: nth },
    ];
    return { customer_id: this.customers[nth % this.customers.length], items };
  }

  async effects(): Promise<Effects> {
    const files: string[] = [];
    for await (const name of this.files.storage.list()) files.push(name);
    const invoices = files.map((name) => /^orders\/([^/]+)\/invoice\.pdf$/.exec(name)?.[1]?.toUpperCase() ?? name);
    return { mails: this.mails, invoices, events: await this.events() };
  }

  /** Ids of orders, as of {@link Effects}. */
  get mails(): readonly string[] {
    return this.smtp.received.map(({ email }) => idIn(email.subject ?? ''));
  }

  /** Ids of orders, as of {@link Effects}. */
  async events(): Promise<readonly string[]> {
    const text = await readFile(this.eventFile, 'utf8').catch(() => '');
    // A kill may cut a line short, whose job writes it again.
    const lines = text.split('\n').filter((line) => line.endsWith('}}'));
    // Each of these is an event.
    return lines.map((line) => (JSON.parse(line) as { readonly id: string }).id);
  }

  async close(): Promise<void> {
    await Promise.all([this.smtp.stop(), this.files.remove(), rm(this.folder, { recursive: true })]);
  }

  private get eventFile(): string {
    return join(this.folder, 'events.jsonl');
  }
}

/** An order as the api says it is placed. */
export async function place(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<OrderView> {
  const answer = await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`${answer.status} ${text}`);
  // The HTTP contract promises it.
  return JSON.parse(text) as OrderView;
}

export async function readOrder(url: string, id: string): Promise<OrderView> {
  const answer = await fetch(`${url}/orders/${id}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  // The HTTP contract promises it.
  return (await answer.json()) as OrderView;
}

function idIn(subject: string): string {
  const [id] = /[0-9A-Z]{26}/.exec(subject) ?? [];
  if (id === undefined) throw new Error(`"${subject}" names no order.`);
  return id;
}
