import { Injectable } from '@nestjs/common';

@Injectable()
export class DedupeService {
  /** The id of the job that holds the key of that type now; undefined when it is free. */
  holder(_type: string, _dedupeKey: string): Promise<string | undefined> {
    return Promise.reject(new Error('not built yet'));
  }
}
