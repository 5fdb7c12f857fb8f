/** Names of EmailEngine's keys in Redis. All keys start with the prefix of the instance. */
export function keysOf(prefix: string) {
  const key = (name: string) => `${prefix}${name}`
  return {
    accountIds: key('ia:accounts'),
    account: (id: string) => key(`iad:${id}`),
    settings: key('settings'),
    gatewayIds: key('gateways'),
    gateway: (id: string) => key(`gateway:${id}`),
    applicationIds: key('oapp:i'),
    applications: key('oapp:c'),
    routeIds: key('wh:i'),
    routes: key('wh:c'),
    /** Templates that are available to all accounts have the empty account id. */
    templateIds: (account: string) => key(`tpl:${account}:i`),
    templates: (account: string) => key(`tpl:${account}:c`),
    tokens: key('tokens'),
    blocklists: key('lists:unsub:lists'),
    blocklist: (list: string) => key(`lists:unsub:entries:${list}`),
  }
}

export type Keys = ReturnType<typeof keysOf>
