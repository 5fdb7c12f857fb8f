import { expect, test } from '@jest/globals'
import { serverMessageIdOf } from './smtp-replies.ts'

const sesId = '0102018b5c3c0a4f-3f2504e0-4f89-41d3-9a0c-0305e82c3301-000000'

test.each([
  [
    '250 2.0.0 OK <AM0PR04MB1@AM0PR04MB1.eurprd04.prod.outlook.com> [Hostname=AM0PR04MB1.eurprd04.prod.outlook.com]',
    'smtp.office365.com',
    '<AM0PR04MB1@AM0PR04MB1.eurprd04.prod.outlook.com>',
  ],
  [
    '250 2.6.0 <0a1b@corp.example> [InternalId=1236950581340, Hostname=mbx.corp.example] 1533 bytes in 0.230, Queued mail for delivery',
    'mail.corp.example',
    '<0a1b@corp.example>',
  ],
  [`250 Ok ${sesId}`, 'email-smtp.eu-west-1.amazonaws.com', `<${sesId}@eu-west-1.amazonses.com>`],
  [`250 Ok ${sesId}`, 'email-smtp.us-east-1.amazonaws.com', `<${sesId}@email.amazonses.com>`],
  [
    `250 Ok ${sesId.toUpperCase()}`,
    'vpce-1-2.email-smtp.us-gov-west-1.vpce.amazonaws.com.',
    `<${sesId}@us-gov-west-1.amazonses.com>`,
  ],
  [`250 Ok ${sesId}`, 'mail.example.com', undefined],
  [`250 Ok ${sesId}`, 'email-smtp.amazonaws.com', undefined],
  [`250 Ok ${sesId}`, 'amazonaws.com.example.net', undefined],
  ['250 2.0.0 Ok: queued as 4TXYZ1', 'mail.example.com', undefined],
  ['250 2.0.0 OK <a@b> queued', 'mail.example.com', undefined],
  ['250 2.0.0 OK  1700000000 d2e1a72fcca58-6c3 - gsmtp', 'smtp.gmail.com', undefined],
  ['250 OK id=1r2xyz-0001aB-2C', 'mail.example.com', undefined],
  ['250 2.6.0 <a b@c> [InternalId=1]', 'mail.example.com', undefined],
  ['', '', undefined],
])('serverMessageIdOf: reply %s from %s, returns %s', (response, host, id) => {
  expect(serverMessageIdOf(response, host)).toBe(id)
})
