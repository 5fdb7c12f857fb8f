import { expect, test } from '@jest/globals'
import type { OAuth2AppConfig, OAuth2Provider } from '@posthorn/contracts/schemas/oauth2-app'
import { profileOf } from './profile.ts'

const google = 'https://www.googleapis.com/auth/'
const graph = 'https://graph.microsoft.com/'
const identity = ['openid', 'email', 'profile']

test.each<[OAuth2Provider, OAuth2AppConfig, string[], string[]]>([
  ['gmail', {}, ['https://mail.google.com/', ...identity], ['https://mail.google.com/']],
  [
    'gmail',
    { baseScopes: 'api' },
    [`${google}gmail.modify`, ...identity],
    [`${google}gmail.modify`],
  ],
  [
    'gmail',
    { baseScopes: 'api', extraScopes: [`${google}gmail.labels`] },
    [`${google}gmail.modify`, ...identity, `${google}gmail.labels`],
    [`${google}gmail.modify`],
  ],
  // For an OAuth2 application that only sends mail, the scope that replaces the default scope is
  // required.
  [
    'gmail',
    {
      baseScopes: 'api',
      skipScopes: [`${google}gmail.modify`],
      extraScopes: [`${google}gmail.send`, 'https://www.googleapis.com/auth/contacts'],
    },
    [...identity, `${google}gmail.send`, 'https://www.googleapis.com/auth/contacts'],
    [`${google}gmail.send`],
  ],
  ['gmailService', { baseScopes: 'api' }, [`${google}gmail.modify`], [`${google}gmail.modify`]],
  ['gmail', { baseScopes: 'pubsub' }, [`${google}pubsub`, ...identity], [`${google}pubsub`]],
  [
    'outlook',
    { baseScopes: 'api' },
    [
      ...['Mail.ReadWrite', 'Mail.Send', 'User.Read'].map((scope) => graph + scope),
      'offline_access',
      ...identity,
    ],
    ['Mail.ReadWrite', 'Mail.Send', 'User.Read'].map((scope) => graph + scope),
  ],
  // Skipped OAuth2 scopes are named with or without their resource, in any case.
  [
    'outlook',
    { baseScopes: 'api', skipScopes: ['mail.readwrite', `${graph}User.Read`] },
    [`${graph}Mail.Send`, 'offline_access', ...identity],
    [`${graph}Mail.Send`],
  ],
  ['outlookService', { baseScopes: 'api' }, [`${graph}.default`], []],
  ['outlookService', {}, ['https://outlook.office365.com/.default'], []],
])('profileOf: scopes of %s with %j', (...row) => {
  const [provider, config, scopes, requiredScopes] = row
  expect(profileOf(provider, config)).toMatchObject({ scopes, requiredScopes })
})
