import { ForbiddenException, Injectable, UnauthorizedException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ApiKeyRing } from '@antrean/platform';
import type { Request, Response } from 'express';

/** Lets in whoever has a key with scope `read`; everybody while no keys are set (the worker then listens on loopback only). */
@Injectable()
export class ReadScopeGuard implements CanActivate {
  constructor(private readonly keys: ApiKeyRing) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.keys.isEmpty) return true;
    const http = context.switchToHttp();
    const principal = this.keys.identify(http.getRequest<Request>().headers.authorization);
    if (principal === undefined) {
      http.getResponse<Response>().setHeader('WWW-Authenticate', 'Bearer');
      throw new UnauthorizedException('Send an API key with scope read: "Authorization: Bearer <key>".');
    }
    if (!principal.scopes.includes('read')) throw new ForbiddenException(`The key "${principal.name}" lacks the scope read.`);
    return true;
  }
}
