import type { ServiceName } from '../services.ts'

/**
 * Who may ask what, where each service has a user of its own at RabbitMQ; all that is not named here is asked by api-gateway alone.
 * Whoever answers refuses the others, by the user name that the broker has checked.
 */
const requesters: Readonly<Record<string, readonly ServiceName[]>> = {
  getCredentials: ['sync-worker', 'sender', 'imap-proxy'],
  getGatewayCredentials: ['sender'],
  getServiceSecret: ['webhook-dispatcher'],
  getLinkSecret: ['api-gateway', 'smtp-proxy'],
  checkSmtpServerPassword: ['smtp-proxy'],
  checkImapProxyServerPassword: ['imap-proxy'],
  getOpenAiApiKey: ['sync-worker'],
  openLogin: ['api-gateway', 'webhook-dispatcher', 'sync-worker', 'sender', 'imap-proxy'],
  openHeader: ['webhook-dispatcher'],
  fileSent: ['sender'],
  findSent: ['sender'],
}

export function allowedRequesters(command: string): readonly ServiceName[] {
  return Object.hasOwn(requesters, command) ? (requesters[command] ?? []) : ['api-gateway']
}
