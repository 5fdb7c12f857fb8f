import { withClient } from '@posthorn/local/postgres/client'

/** Account with a failing login in the screenshots, whose page shows advice. */
export const failingAccount = 'billing-hotel'
/** URL of the webhook target in the screenshots. */
export const targetUrl = 'https://crm.example.com/hooks/mail'

/** Functions of the webhook route in the screenshots. */
export const routeFunctions = {
  fn: [
    '// Only new messages with an invoice.',
    "if (payload.event !== 'messageNew') return false",
    'const { subject, attachments = [] } = payload.data',
    "const isPdf = ({ contentType }) => contentType === 'application/pdf'",
    "return /invoice/i.test(subject ?? '') && attachments.some(isPdf)",
    '',
  ].join('\n'),
  map: [
    'const { from, subject, attachments } = payload.data',
    'return {',
    '  account: payload.account,',
    '  sender: from.address,',
    '  title: subject.trim(),',
    '  files: attachments.map(({ id, filename }) => ({ id, filename })),',
    '}',
    '',
  ].join('\n'),
}

const duties = ['billing', 'bookings', 'events', 'jobs', 'newsletter', 'orders', 'press', 'support']
const companies = ['hotel', 'school', 'shop', 'studio']
const people = ['info', 'office', 'team', 'reception', 'purchasing', 'accounts']

interface PictureAccount {
  account: string
  name: string
  email: string
  host: string
  shard: number
  state: string
  error: { response: string; serverResponseCode: string } | null
}

const errors: Readonly<Record<string, PictureAccount['error']>> = {
  authenticationError: {
    response: 'NO [AUTHENTICATIONFAILED] Authentication failed.',
    serverResponseCode: 'AUTHENTICATIONFAILED',
  },
  connectError: {
    response: 'connect ECONNREFUSED 192.0.2.25:993',
    serverResponseCode: 'ECONNREFUSED',
  },
}

const accounts: readonly PictureAccount[] = companies.flatMap((company, group) =>
  duties.map((duty, n): PictureAccount => {
    const domain = `${company}.example`
    const account = `${duty}-${company}`
    const name = `${capital(duty)}, ${capital(company)}`
    const state = stateOf(account)
    return {
      account,
      name,
      email: `${duty}@${domain}`,
      host: `mail.${domain}`,
      shard: group * duties.length + n,
      state,
      error: errors[state] ?? null,
    }
  }),
)

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function stateOf(account: string): string {
  const others: Readonly<Record<string, string>> = {
    [failingAccount]: 'authenticationError',
    'orders-school': 'connectError',
    'press-studio': 'syncing',
    'jobs-school': 'paused',
  }
  return others[account] ?? 'connected'
}

/**
 * Fills the database with accounts, messages, events, deliveries and counters of the last day. The
 * services that would process these rows must not run.
 */
export async function fillForPictures(ownerUrl: string): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    for (const [text, values] of statements()) await client.query(text, values)
  })
}

type Statement = readonly [text: string, values: unknown[]]

function statements(): Statement[] {
  return [...accountStatements(), outboxStatement(), eventStatement(), counterStatement()]
}

function accountStatements(): Statement[] {
  const worker = '5f0c1d2e-8a4b-4c6d-9e7f-102938475610'
  const columns =
    'account text, name text, email text, host text, shard int, state text, error jsonb'
  const list = [JSON.stringify(accounts)]
  return [
    // The heartbeat is in the future, so that the sync-worker counts as alive while the test runs.
    [`insert into workers (id, heartbeat_at) values ($1, now() + interval '1 day')`, [worker]],
    ['update shards set owner = $1, epoch = epoch + 1', [worker]],
    [
      `insert into accounts (account, shard, name, email, imap, smtp)
        select account, shard, name, email,
          jsonb_build_object('host', host, 'port', 993, 'secure', true, 'auth', login),
          jsonb_build_object('host', host, 'port', 465, 'secure', true, 'auth', login)
        from jsonb_to_recordset($1::jsonb) as a (${columns}),
          jsonb_build_object('user', email) as login`,
      list,
    ],
    [
      `insert into account_states (account, state, last_error, sync_time, connections)
        select account, state, error, now() - shard * interval '47 seconds', 1
        from jsonb_to_recordset($1::jsonb) as a (${columns})`,
      list,
    ],
  ]
}

function outboxStatement(): Statement {
  const subjects = ['Your booking', 'Invoice 2041', 'Order confirmed', 'Newsletter', 'Reminder']
  const messages = Array.from({ length: 14 }, (_, n) => {
    const [isHeld, hasFailed, isRetried] = [n % 5 === 1, n > 10, n % 4 === 2]
    const error = hasFailed
      ? { message: '550 5.1.1 Unknown recipient', responseCode: 550 }
      : { message: '451 4.7.1 Greylisted, try again later', responseCode: 451 }
    return {
      id: `19a8f3c20b${n.toString(16).padStart(9, '0')}`,
      account: accounts[(n * 3) % accounts.length]?.account,
      state: hasFailed ? 'failed' : isHeld ? 'held' : 'queued',
      recipient: `${people[n % people.length]}@customer-${n + 1}.example`,
      subject: subjects[n % subjects.length],
      attempts: hasFailed || isRetried ? (n % 3) + 1 : 0,
      error: hasFailed || isRetried ? error : null,
      number: n,
    }
  })
  return [
    `insert into outbox (queue_id, account, shard, source, state, message_id, envelope, subject,
        created_at, next_attempt_at, attempts, last_error, finished_at)
      select id, account, 0, 'api', state, '<' || id || '@mail.example.com>',
        jsonb_build_object('from', 'office@example.com', 'to', jsonb_build_array(recipient)),
        subject, now() - number * interval '5 minutes', now() + (number + 3) * interval '4 minutes',
        attempts, error, case when state = 'failed' then now() - number * interval '9 minutes' end
      from jsonb_to_recordset($1::jsonb) as m (id text, account text, state text, recipient text,
        subject text, attempts int, error jsonb, number int)`,
    [JSON.stringify(messages)],
  ]
}

/** Inserts events of the last hour, each with a delivery. Some deliveries have failed. */
function eventStatement(): Statement {
  const names = ['messageNew', 'messageSent', 'messageNew', 'messageUpdated', 'messageNew']
  const ids = accounts.map(({ account }) => account)
  return [
    `with recorded as (
        insert into events (event_id, event, account, shard, date, path, body, published_at,
          fanned_out_at)
        select gen_random_uuid(), ($1::text[])[1 + n % 5], ($2::text[])[1 + (n * 7) % $3], 0,
          now() - n * interval '55 seconds', 'INBOX', '{}', now(), now()
        from generate_series(1, 60) n
        returning id, event_id, event, account, date
      )
      insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane,
        state, attempts, queued_at, finished_at, last_outcome, last_status, last_error)
      select gen_random_uuid(), event_id, id, date, event, account, 'default', $4,
        case when failed then 'failed' else 'delivered' end, case when failed then 10 else 1 end,
        date, date + interval '2 seconds', case when failed then 'http-5xx' else '2xx' end,
        case when failed then 503 else 200 end,
        case when failed then 'The target responded with the status 503' end
      from recorded, lateral (select id % 4 = 2 as failed) as outcome`,
    [names, ids, ids.length, targetUrl],
  ]
}

/**
 * Inserts counters of events and API calls in the last 24 hours, whose values rise and fall once.
 */
function counterStatement(): Statement {
  const perQuarter = {
    'events:messageNew': 420,
    'events:messageUpdated': 260,
    'events:messageSent': 180,
    'events:messageDeleted': 35,
    'apiCall:success': 900,
    'apiCall:fail': 24,
    'submit:success': 180,
    'webhooks:success': 850,
  }
  return [
    `insert into stat_counters (minute, key, value)
      select date_trunc('minute', now()) - n * interval '15 minutes', key,
        round(size * (0.55 + 0.4 * sin((96 - n) / 96.0 * 2 * pi())) + n * 7919 % 13 * size / 90)
      from generate_series(0, 95) n, unnest($1::text[], $2::int[]) as counter (key, size)`,
    [Object.keys(perQuarter), Object.values(perQuarter)],
  ]
}
