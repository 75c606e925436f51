/** Where things are, as absolute paths; behind a proxy that adds a prefix, with that prefix. */
export class Links {
  private readonly base: string;

  /** @param publicUrl where clients reach the api. */
  constructor(publicUrl: string) {
    this.base = new URL(publicUrl).pathname.replace(/\/+$/, '');
  }

  /** The api's own root: `/`, or the prefix. */
  get root(): string {
    return this.base === '' ? '/' : this.base;
  }

  job(jobId: string): string {
    return `${this.base}/jobs/${jobId}`;
  }

  document(path: string, jobId: string): string {
    return `${this.base}/${path}/${jobId}`;
  }

  order(orderId: string): string {
    return `${this.base}/orders/${orderId}`;
  }

  invoice(orderId: string): string {
    return `${this.order(orderId)}/invoice`;
  }

  importRejects(jobId: string): string {
    return `${this.base}/imports/${jobId}/rejects`;
  }
}
