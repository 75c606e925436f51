import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiKeyRing, type ApiConfig, type Scope } from '@antrean/platform';
import type { Request } from 'express';
import { nothingAt } from '../http/nothing-at.js';
import { ProblemError } from '../http/problem-error.js';
import { contextOf } from '../http/request-context.js';
import { API_CONFIG } from '../tokens.js';
import { AccessOf, type Access } from './access.decorator.js';
import { cameByAdminPort } from './admin-port.js';

/** Lets a request through to its route when its key, or the port it came by, allows that. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: ApiKeyRing,
    @Inject(API_CONFIG) private readonly config: ApiConfig,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    // The reflector's types promise a value even where the decorator was forgotten.
    const access = this.reflector.getAllAndOverride(AccessOf, [context.getHandler(), context.getClass()]) as Access | undefined;
    const isAdminRequest = cameByAdminPort(request);
    switch (access) {
      case 'everybody':
        return true;
      case 'operators':
        if (isAdminRequest) return true;
        if (this.config.adminPort !== undefined) throw nothingAt(request.path);
        return this.hasScope(request, 'read');
      case 'submit':
      case 'read':
      case 'manage':
        if (isAdminRequest) throw nothingAt(request.path);
        return this.hasScope(request, access);
      case undefined:
        throw new Error('The route does not say who may use it.');
    }
  }

  private hasScope(request: Request, scope: Scope): true {
    const asked = contextOf(request);
    if (this.keys.isEmpty) {
      asked.mayManage = true;
      asked.mayRead = true;
      return true;
    }
    const principal = this.keys.identify(request.headers.authorization);
    if (principal === undefined) {
      throw new ProblemError('unauthorized', 'Send the header Authorization: Bearer <key> with a key of this api.', {
        errors: [{ header: 'Authorization', detail: 'must be Bearer, followed by a valid key' }],
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    asked.keyName = principal.name;
    asked.mayManage = principal.scopes.includes('manage');
    asked.mayRead = principal.scopes.includes('read');
    if (principal.scopes.includes(scope)) return true;
    throw new ProblemError('forbidden', `The key "${principal.name}" lacks the scope "${scope}".`);
  }
}
