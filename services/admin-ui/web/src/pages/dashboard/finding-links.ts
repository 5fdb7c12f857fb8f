/** Link to the page that shows what a finding (problem of the installation) is about. */
export interface FindingLink {
  path: string
  text: string
  query?: Readonly<Record<string, string>>
}

const settings = (query: string): FindingLink => ({
  path: '/settings',
  query: { query },
  text: 'Open the setting',
})

const mailProxies: FindingLink = { path: '/mail-proxies', text: 'Mail proxies' }

/**
 * Links from findings (reported problems of the installation) to administration pages, by kind of
 * finding. The kind is the part of a finding's id before the first colon.
 */
const links: Readonly<Record<string, (subject: string) => FindingLink>> = {
  accountsFailing: () => ({
    path: '/accounts',
    query: { state: 'authenticationError' },
    text: 'Accounts whose login fails',
  }),
  queueLate: (queue) => queueLink(queue),
  queuePaused: () => ({ path: '/queues', text: 'Queues' }),
  serviceUrlUnset: () => settings('serviceUrl'),
  webhooksDisabled: () => settings('webhooksEnabled'),
  webhooksWithoutTarget: () => settings('webhooks'),
  webhooksWithoutEvents: () => settings('webhookEvents'),
  webhookTargetFailing: (address) => ({
    path: '/deliveries',
    query: { state: 'failed', address },
    text: 'Failed deliveries',
  }),
  webhookTargetPaused: (address) => ({
    path: '/targets',
    query: { address },
    text: 'Webhook target',
  }),
  unheldShards: () => ({ path: '/workers', text: 'Workers' }),
  noLiveWorker: () => ({ path: '/workers', text: 'Workers' }),
  mailProxyCertificate: () => mailProxies,
  mailProxyMissing: () => mailProxies,
  mailProxyNotListening: () => mailProxies,
}

function queueLink(queue: string): FindingLink {
  return queue === 'submit'
    ? { path: '/outbox', query: { state: 'queued' }, text: 'Messages due' }
    : { path: '/deliveries', query: { state: 'due' }, text: 'Deliveries due' }
}

/** Finds the page that shows what a finding is about. Undefined if there is no such page. */
export function linkOfFinding(id: string): FindingLink | undefined {
  const [kind = '', ...subject] = id.split(':')
  return Object.hasOwn(links, kind) ? links[kind]?.(subject.join(':')) : undefined
}
