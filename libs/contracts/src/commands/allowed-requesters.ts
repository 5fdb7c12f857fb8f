import type { ServiceName } from '../services.ts'

/** Services that may send a command. Commands not listed are reserved for api-gateway. */
const requesters: Readonly<Record<string, readonly ServiceName[]>> = {
  getCredentials: ['sync-worker', 'sender', 'imap-proxy'],
  getGatewayCredentials: ['sender'],
  getServiceSecret: ['webhook-dispatcher'],
  checkSmtpServerPassword: ['smtp-proxy'],
  checkImapProxyServerPassword: ['imap-proxy'],
  getOpenAiApiKey: ['sync-worker'],
  getPubSubToken: ['sync-worker'],
  changesNoticed: ['api-gateway', 'sync-worker'],
  unsealLogin: ['api-gateway', 'webhook-dispatcher', 'sync-worker', 'sender', 'imap-proxy'],
  unsealHeader: ['webhook-dispatcher'],
  getExportKey: ['api-gateway', 'sync-worker'],
  fileSent: ['sender'],
  findSent: ['sender'],
  isSending: ['sender'],
  lendUnits: ['sender'],
}

/**
 * Services that may send a command over RabbitMQ. Responders reject other requesters by the broker
 * user, which the broker verifies. The check applies if each service has its own broker user.
 */
export function allowedRequesters(command: string): readonly ServiceName[] {
  return Object.hasOwn(requesters, command) ? (requesters[command] ?? []) : ['api-gateway']
}
