import { createHash } from 'node:crypto';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';

/**
 * Gives an answer an entity tag, the hash of its content. Express then answers 304 to an `If-None-Match` that has it.
 * The tag is a strong one: the same tag means the same bytes.
 */
@Injectable()
export class EtagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((body) => {
        const hash = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 27);
        response.set({ ETag: `"${hash}"`, 'Cache-Control': 'private, no-cache' });
        return body;
      }),
    );
  }
}
