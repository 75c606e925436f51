import { tellsOfPersistence } from './server-facts.js';

describe('tellsOfPersistence', () => {
  it.each([
    [{ aof_enabled: '1', rdb_saves: '0' }, true],
    [{ aof_enabled: '0', rdb_saves: '2' }, true],
    [{ aof_enabled: '0', rdb_saves: '0' }, false],
    [{ aof_enabled: '0' }, false],
    [{}, false],
  ])('of a server that says %j is %s', (info, persistent) => {
    expect(tellsOfPersistence(new Map(Object.entries(info)))).toBe(persistent);
  });
});
