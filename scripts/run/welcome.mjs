import { paint, say } from '../setup/terminal.mjs';

/**
 * @param {import('./settings.mjs').Settings} settings
 * @param {{redisUrl: string, seconds: number}} found
 */
export function welcome({ api, worker, ownDatabase, hasKeys, sendsMail, redisUrl: given }, { redisUrl, seconds }) {
  const key = hasKeys ? ` -H "Authorization: Bearer $API_KEY"` : '';
  const body = JSON.stringify({
    to: 'ada@example.com',
    template: 'welcome',
    variables: { name: 'Ada' },
    message_key: `welcome-${Date.now().toString(36)}`,
  });
  say(`
${paint('green', '✔')} ${paint('bold', 'Antrean is ready')} (${seconds.toFixed(1)} s)

  API      ${api.url}
  Docs     ${api.url}/docs
  Health   ${api.url}/health
  Worker   ${worker.url}/health
${given === undefined ? `  Redis    ${redisUrl} (its data is in .data/redis)\n` : ''}${ownDatabase ? '  Database .data/antrean.db (with example customers and orders; set DATABASE_URL for another)\n' : ''}${sendsMail ? '' : '  Mails    .data/mail (set SMTP_URL to send them)\n'}
Submit an e-mail, then look at its job${hasKeys ? ' (API_KEY is one of your keys)' : ''}:

  job=$(curl -s ${api.url}/jobs/email${key} -H 'Content-Type: application/json' -d '${body}' | node -pe 'reply = fs.readFileSync(0, "utf8"), console.error(reply), JSON.parse(reply).job_id')
  curl -s${key} ${api.url}/jobs/$job

Ctrl-C stops everything.
`);
}
