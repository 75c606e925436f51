import { connect } from 'node:net';

/**
 * Sends commands to a Redis on the loopback interface and returns all it answered, as it came.
 * @param {number} port
 * @param {readonly string[]} commands
 * @param {number} timeoutMs
 * @returns {Promise<string | undefined>} undefined when nothing answers there in time
 */
function askRedis(port, commands, timeoutMs = 1_000) {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (/** @type {string | undefined} */ result) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => finish(undefined), timeoutMs);
    socket.setEncoding('utf8');
    socket.once('error', () => finish(undefined));
    socket.on('data', (chunk) => (answer += chunk));
    // QUIT makes Redis close the connection once all is answered.
    socket.once('end', () => finish(answer));
    socket.write([...commands, 'QUIT', ''].join('\r\n'));
  });
}

/**
 * @param {number} port
 * @returns {Promise<boolean>} whether a Redis there takes commands; false also while it still loads its data
 */
export async function redisAnswers(port) {
  return (await askRedis(port, ['PING']))?.startsWith('+PONG') === true;
}

/**
 * @param {number} port
 * @param {string} folder absolute, links resolved
 * @returns {Promise<boolean>} whether the Redis there keeps its data in that folder
 */
export async function redisKeepsDataIn(port, folder) {
  return (await askRedis(port, ['CONFIG GET dir']))?.includes(`\r\n${folder}\r\n`) === true;
}

/**
 * @param {number} port
 * @returns {Promise<boolean>} whether the Redis there dropped all its data; false also while a script of it goes on
 */
export async function redisForgets(port) {
  return (await askRedis(port, ['FLUSHALL'], 5_000))?.startsWith('+OK') === true;
}
