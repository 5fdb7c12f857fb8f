import type { ServiceName } from '../services.ts'

/**
 * Services that may send a command over RabbitMQ, by name of the command. Only api-gateway may send
 * commands that are not listed.
 */
const requesters: Readonly<Record<string, readonly ServiceName[]>> = {
  getCredentials: ['sync-worker', 'sender', 'imap-proxy'],
  getGatewayCredentials: ['sender'],
  getServiceSecret: ['webhook-dispatcher'],
  checkSmtpServerPassword: ['smtp-proxy'],
  checkImapProxyServerPassword: ['imap-proxy'],
  createAdminTotp: ['admin-ui'],
  checkAdminTotp: ['admin-ui'],
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
 * Lists the services that may send a command over RabbitMQ. A responder rejects a request from any
 * other service, based on the requester's RabbitMQ user, which the broker verifies. Only checked if
 * each service has its own RabbitMQ user.
 */
export function allowedRequesters(command: string): readonly ServiceName[] {
  return Object.hasOwn(requesters, command) ? (requesters[command] ?? []) : ['api-gateway']
}
