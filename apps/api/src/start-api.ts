import { setTimeout as pause } from 'node:timers/promises';
import { StorageHealth, type Closable, type ApiConfig, type Logger } from '@antrean/platform';
import type { Express } from 'express';
import { createAdminServer } from './auth/admin-port.js';
import { createApi, type CreateOptions } from './create-api.js';
import { Readiness } from './health/readiness.js';
import { HttpListeners } from './http/http-listeners.js';

/** An api that listens. */
export interface RunningApi extends Closable {
  readonly url: string;
  /** Where metrics and health details are, when they have a port of their own. */
  readonly adminUrl: string | undefined;
}

/**
 * Creates the api and opens its ports. Redis may be absent: requests that need it get 503 until it is there.
 * @throws {ListenError} when a port cannot be opened; nothing is left open then.
 */
export async function startApi(config: ApiConfig, log: Logger, options: CreateOptions = {}): Promise<RunningApi> {
  const app = await createApi(config, log, options);
  const readiness = app.get(Readiness);
  const listeners = new HttpListeners();
  const { host, port, adminPort } = config;

  const close = async (signal?: string): Promise<void> => {
    readiness.drain();
    listeners.drain();
    // Load balancers send requests until they have seen that it is not ready. An end without a signal is that of a process in trouble.
    if (signal !== undefined) await pause(config.shutdownDelayMs);
    // Before Nest closes: its modules let go of Redis first and of the port last, and requests in hand need both.
    await listeners.close();
    await app.close();
  };

  try {
    await app.get(StorageHealth).tell(log);
    const express: Express = app.getHttpAdapter().getInstance();
    const openAdminPort = (to: number) =>
      listeners.open(createAdminServer(express), { host, port: to, variables: 'ADMIN_PORT or HOST' });
    // First, as ports close the other way round: it says "draining" until the last request on the main port is answered.
    const adminUrl = adminPort === undefined ? undefined : await openAdminPort(adminPort);
    const url = await listeners.open(app.getHttpServer(), { host, port, variables: 'PORT or HOST' });
    readiness.start();
    log.info({ url, ...(adminUrl !== undefined && { admin_url: adminUrl }) }, 'listening');
    return { url, adminUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
}
