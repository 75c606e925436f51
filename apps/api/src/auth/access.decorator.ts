import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import { type Scope } from '@antrean/platform';

/**
 * Who may use a route: everybody; those whose key has a scope; or operators, who come by the admin port, or with the scope
 * `read` where there is no such port.
 */
export type Access = 'everybody' | 'operators' | Scope;

/** The metadata of a route's access. A route without it serves nobody. */
export const AccessOf = Reflector.createDecorator<Access>();

/** Name of the security scheme in the OpenAPI document. */
export const API_KEY_SCHEME = 'api_key';

export const Open = () => AccessOf('everybody');

export const ForOperators = () => applyDecorators(AccessOf('operators'), ApiSecurity(API_KEY_SCHEME, ['read']));

export const NeedsScope = (scope: Scope) => applyDecorators(AccessOf(scope), ApiSecurity(API_KEY_SCHEME, [scope]));
