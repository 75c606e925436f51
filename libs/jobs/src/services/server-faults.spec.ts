import { serverFaults } from './server-faults.js';

const fit = {
  address: 'h:1',
  host: 'h',
  port: 1,
  version: '7.0.0',
  maxmemoryPolicy: 'noeviction',
  persistent: true,
  replicas: 0,
};

describe('serverFaults', () => {
  it.each(['7.0.0', '7.2.4', '8.4.0', '10.0.0', '255.255.255'])('finds none in version %s', (version) => {
    expect(serverFaults([{ ...fit, version }])).toEqual([]);
  });

  it.each(['6.2.14', '5.0', ''])('tells that version "%s" is too old, and of which server', (version) => {
    expect(serverFaults([{ ...fit, version }])).toEqual([
      expect.stringMatching(/^Redis at h:1 has version .*; 7 or newer is needed\.$/),
    ]);
  });

  it('looks at every server of a Cluster', () => {
    const faults = serverFaults([
      fit,
      { ...fit, host: 'i', maxmemoryPolicy: 'volatile-ttl' },
      { ...fit, host: 'j', version: '6.0.0' },
    ]);
    expect(faults).toEqual([expect.stringContaining('redis-cli -h i -p 1 CONFIG SET'), expect.stringContaining('Redis at j:1')]);
  });
});
