import { Module, type DynamicModule } from '@nestjs/common';
import { HttpRequest } from '@antrean/catalog';
import { outboundProviders, type OutboundOptions } from '../../outbound/outbound-providers.js';
import { HttpRequestHandler } from './http-request.handler.js';

/** Runs jobs of the type `http.request`. */
@Module({})
export class HttpRequestModule {
  static register(options: OutboundOptions): DynamicModule {
    return {
      module: HttpRequestModule,
      providers: [HttpRequestHandler, ...outboundProviders(HttpRequest, options)],
    };
  }
}
