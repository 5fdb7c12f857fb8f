import { expect, test } from '@jest/globals'
import { readGoogleFile } from './google-file.ts'

const uri = 'https://mail.example/oauth'
const client = { client_id: 'id', client_secret: 'secret', project_id: 'project-1' }
const file = (content: unknown) => readGoogleFile(JSON.stringify(content), uri)

test('readGoogleFile: client of a web application', () => {
  expect(file({ web: { ...client, redirect_uris: [uri] } })).toEqual({
    values: {
      provider: 'gmail',
      clientId: 'id',
      clientSecret: 'secret',
      googleProjectId: 'project-1',
    },
  })
})

test('readGoogleFile: warns about a client without the redirect URI', () => {
  expect(file({ web: client }).warning).toContain(uri)
  expect(readGoogleFile(JSON.stringify({ web: client }), '').warning).toBeUndefined()
})

test('readGoogleFile: key of a service account replaces an external account', () => {
  const key = {
    type: 'service_account',
    project_id: 'project-1',
    private_key: '-----BEGIN PRIVATE KEY-----',
    client_email: 'a@project-1.iam.gserviceaccount.com',
    client_id: '123',
  }
  expect(file(key).values).toEqual({
    provider: 'gmailService',
    serviceClient: '123',
    serviceClientEmail: 'a@project-1.iam.gserviceaccount.com',
    serviceKey: '-----BEGIN PRIVATE KEY-----',
    externalAccount: '',
    googleProjectId: 'project-1',
  })
})

test('readGoogleFile: external account with the service account of its tokens', () => {
  const account = {
    type: 'external_account',
    service_account_impersonation_url:
      'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@p.iam.example:generateAccessToken',
  }
  expect(file(account).values).toEqual({
    provider: 'gmailService',
    externalAccount: JSON.stringify(account),
    serviceKey: '',
    serviceClientEmail: 'a@p.iam.example',
  })
})

test.each([
  ['', 'not a JSON file'],
  ['[1]', 'not a JSON file'],
  ['{"web":1}', 'not a client'],
  ['{"type":"authorized_user"}', 'not a client'],
  ['{"installed":{}}', 'desktop'],
  ['{"web":{"client_id":"id"}}', 'no client_secret'],
  ['{"web":{"client_id":1,"client_secret":"x"}}', 'no client_id'],
])('readGoogleFile: refuses %s', (text, message) => {
  expect(() => readGoogleFile(text, uri)).toThrow(message)
})
