import type { CommandGroup, CommandSpec, OptionSpec } from '../../program/command.ts'
import { commaSeparated } from '../../program/times.ts'
import { httpUrl } from '../../program/urls.ts'
import { portNumber, positiveInteger } from '../../program/values.ts'
import { filterOptions } from './filter.ts'
import { secretOption } from './webhook-secret.ts'

const wait: OptionSpec = {
  flags: '--wait',
  description: 'show the progress, and end when the replay has ended',
}
const delivery = { name: '<delivery>', description: 'id of the delivery, from `webhooks failed`' }

const listen: CommandSpec = {
  name: 'listen',
  summary: 'Receive webhooks on this machine, and forward them to a program.',
  details: `Creates a webhook route while the program runs. Other targets get their webhooks as before. Needs a
token with the scope \`*\`. With the secret, the signature of each webhook is checked. Each webhook is printed, then
forwarded with its bytes and headers unchanged. Posthorn gets the response of the forward, so that it repeats a
webhook that failed. At the end the route is deleted. If the program is killed, the server deletes the route within a
minute and 10 seconds.`,
  options: [
    { flags: '--forward <url>', description: 'URL that gets the webhooks', parse: httpUrl },
    {
      flags: '--host <address>',
      description: 'address of this machine that the server can reach',
      default: '127.0.0.1',
    },
    {
      flags: '--port <number>',
      description: 'port of the receiver, by default a free port',
      parse: portNumber,
    },
    {
      flags: '--public-url <url>',
      description: 'URL at which the server reaches the receiver, such as the URL of a tunnel',
      parse: httpUrl,
    },
    {
      flags: '--events <names>',
      description: 'only these events, separated by commas, such as messageNew,messageSent',
      parse: commaSeparated,
    },
    { flags: '--account <id>', description: 'only events of this account' },
    secretOption,
  ],
  examples: [
    { purpose: 'Print the events of all accounts', line: 'webhooks listen' },
    {
      purpose: 'Forward new messages to a program on this machine',
      line: 'webhooks listen --events messageNew --forward http://127.0.0.1:3000/hook',
    },
  ],
  load: async () => (await import('./listen.ts')).listen,
}

const failed: CommandSpec = {
  name: 'failed',
  summary: 'List webhook deliveries that failed, latest first.',
  options: [
    ...filterOptions,
    {
      flags: '--state <state>',
      description: 'deliveries in another state',
      choices: ['due', 'delivered', 'failed', 'dropped'],
    },
    {
      flags: '--limit <count>',
      description: 'end after this many deliveries',
      parse: positiveInteger,
    },
  ],
  examples: [
    { purpose: 'List the failures of the last two hours', line: 'webhooks failed --since 2h' },
    {
      purpose: 'List the last webhooks of an account that were delivered',
      line: 'webhooks failed --state delivered --account anna --limit 10',
    },
  ],
  load: async () => (await import('./list-failed.ts')).listFailed,
}

const show: CommandSpec = {
  name: 'show',
  summary: 'Show a webhook delivery with its body and its attempts.',
  arguments: [delivery],
  examples: [
    {
      purpose: 'Show why a delivery failed',
      line: 'webhooks show 0f8fad5b-d9cb-469f-a165-70867728950e',
    },
  ],
  load: async () => (await import('./show-delivery.ts')).showDelivery,
}

const retry: CommandSpec = {
  name: 'retry',
  summary: 'Replay one webhook delivery that failed.',
  arguments: [delivery],
  options: [wait],
  examples: [
    {
      purpose: 'Replay a delivery',
      line: 'webhooks retry 0f8fad5b-d9cb-469f-a165-70867728950e',
    },
  ],
  load: async () => (await import('./replay.ts')).retryDelivery,
}

const replay: CommandSpec = {
  name: 'replay',
  continuesUnread: true,
  summary: 'Replay all webhook deliveries that failed and match a filter.',
  details: 'Deliveries that were replayed before are skipped.',
  options: [...filterOptions, { flags: '--all', description: 'replay without a filter' }, wait],
  examples: [
    {
      purpose: 'Replay the failures of the last day that a target caused',
      line: 'webhooks replay --since 1d --outcome http-5xx --wait',
    },
  ],
  load: async () => (await import('./replay.ts')).replayDeliveries,
}

const verify: CommandSpec = {
  name: 'verify',
  summary: 'Verify the signature of a webhook request that is stored in a file.',
  details: `The file has the headers, an empty line, and the body as it arrived. Needs no server. Asks for the secret
if neither the option nor the environment has it.`,
  arguments: [{ name: '[file]', description: 'file with headers and body' }],
  options: [
    { flags: '--headers-file <path>', description: 'file with a header per line' },
    { flags: '--body-file <path>', description: 'file with the bytes of the body' },
    {
      flags: '--tolerance <seconds>',
      description:
        'fail if the webhook is older, as receivers do; by default the age is not checked',
      parse: positiveInteger,
    },
    secretOption,
  ],
  examples: [
    {
      purpose: 'Verify a request',
      line: 'webhooks verify request.txt --secret-file secret.txt',
    },
    {
      purpose: 'Verify a request that is stored in two files',
      line: 'webhooks verify --headers-file headers.txt --body-file body.json --secret-file secret.txt',
    },
  ],
  load: async () => (await import('./verify-request.ts')).verifyRequest,
}

const testTarget: CommandSpec = {
  name: 'test',
  summary: 'Send a signed test event to a webhook target and show the response.',
  details: 'Without options, tests the default target. Nothing is stored or repeated.',
  options: [
    { flags: '--target <url>', description: 'URL to test instead', parse: httpUrl },
    { flags: '--account <id>', description: 'test the target of this account' },
  ],
  examples: [
    { purpose: 'Test the default target', line: 'webhooks test' },
    { purpose: 'Test the target of an account', line: 'webhooks test --account anna' },
  ],
  load: async () => (await import('./test-target.ts')).testTarget,
}

export const webhooks: CommandGroup = {
  name: 'webhooks',
  summary: 'Receive, inspect and replay webhooks.',
  commands: [listen, failed, show, retry, replay, testTarget, verify],
}
