import { expect, test } from '@jest/globals'
import {
  crumbsOf,
  documentTitle,
  navigationPages,
  permittedPages,
  requiredAction,
} from './page-list.ts'

test('navigation: each page has its own path and letter', () => {
  expect(new Set(navigationPages.map(({ path }) => path)).size).toBe(navigationPages.length)
  expect(new Set(navigationPages.map(({ letter }) => letter)).size).toBe(navigationPages.length)
})

test.each([
  ['/', 'Dashboard · Posthorn'],
  ['/add-account', 'Add an account · Accounts · Posthorn'],
  ['/accounts/add', 'add · Accounts · Posthorn'],
  ['/add-gateway', 'Add a gateway · Gateways · Posthorn'],
  ['/accounts/anna%2Fb', 'anna/b · Accounts · Posthorn'],
  ['/accounts/%zz', '%zz · Accounts · Posthorn'],
  ['/oauth2/gmail', 'gmail · OAuth2 applications · Posthorn'],
  ['/add-oauth2-app', 'Add an OAuth2 application · OAuth2 applications · Posthorn'],
  ['/accounts/anna%2Fb/mail', 'Mail · anna/b · Accounts · Posthorn'],
  ['/accounts/anna/mail/AAAA', 'Message · Mail · anna · Accounts · Posthorn'],
  ['/accounts/anna/nothing', 'Page not found · Posthorn'],
  ['/accounts/anna/mail/AAAA/more', 'Page not found · Posthorn'],
  ['/routes/r1', 'r1 · Routes · Posthorn'],
  ['/create-template', 'Create a template · Templates · Posthorn'],
  ['/create-token', 'Create a token · Tokens · Posthorn'],
  ['/events/3f0c2c1e', 'Event · Events · Posthorn'],
  ['/sign-in', 'Sign in · Posthorn'],
  ['/nothing', 'Page not found · Posthorn'],
  ['/people/nothing', 'Page not found · Posthorn'],
])('documentTitle: of %s is %s', (path, expected) => {
  expect(documentTitle(path)).toBe(expected)
})

test('permittedPages: leaves out pages that need a right which the person does not have', () => {
  const paths = permittedPages((action) => action === 'readAudit').map(({ path }) => path)
  expect(paths).toEqual([
    '/',
    '/events',
    '/accounts',
    '/outbox',
    '/targets',
    '/deliveries',
    '/audit',
    '/about',
  ])
})

test.each([
  ['/add-account', 'changeAccounts'],
  ['/add-gateway', 'changeGateways'],
  ['/add-oauth2-app', 'changeOAuth2Apps'],
  ['/create-route', 'changeRoutes'],
  ['/create-template', 'changeTemplates'],
  ['/create-token', 'changeTokens'],
  ['/accounts', undefined],
  ['/nothing', undefined],
])('requiredAction: of %s is %s', (path, action) => {
  expect(requiredAction(path)).toBe(action)
})

test('crumbsOf: the steps before the page have paths', () => {
  expect(crumbsOf('/accounts/anna')).toEqual([
    { title: 'Accounts', path: '/accounts' },
    { title: 'anna' },
  ])
})

test('crumbsOf: a message leads back to the mail of its account', () => {
  expect(crumbsOf('/accounts/anna%2Fb/mail/AAAA')).toEqual([
    { title: 'Accounts', path: '/accounts' },
    { title: 'anna/b', path: '/accounts/anna%2Fb' },
    { title: 'Mail', path: '/accounts/anna%2Fb/mail' },
    { title: 'Message' },
  ])
})
