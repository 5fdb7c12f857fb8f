import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { PseudoTerminal } from './pseudo-terminal.ts'
import { connectionOf } from './run-posthorn.ts'

const world = await useSharedWorld()
const { posthorn } = world
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
const env = connectionOf(world)
afterAll(async () => {
  await posthorn.updateSettings({ body: { openAiAPIKey: null } })
  await world[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true })
})
const open = (line: string) => new PseudoTerminal(line, { cwd, env })
const escape = '\u001b'

test('a secret that is typed is not shown', async () => {
  await using terminal = open('posthorn settings set-secret openAiAPIKey')
  await terminal.printed('Value of openAiAPIKey: ')
  terminal.write('sk-hush\r')
  expect(await terminal.ended()).toBe(0)
  expect(terminal.screen).toContain('changed openAiAPIKey')
  expect(terminal.screen).not.toContain('hush')
  expect(await posthorn.getSettings({ openAiAPIKey: true })).toEqual({ openAiAPIKey: true })
})

test('a destructive command asks: everything except yes changes nothing', async () => {
  const { id } = await posthorn.createToken({ body: { description: 'terminal' } })
  for (const answer of ['n', '', 'x']) {
    await using terminal = open(`posthorn tokens revoke ${id}`)
    await terminal.printed('[y/N] ')
    terminal.write(`${answer}\r`)
    expect(await terminal.ended()).toBe(2)
    expect(terminal.screen).toContain('nothing changed')
  }
  expect(await posthorn.getToken({ token: id })).toMatchObject({ id })
  await using terminal = open(`posthorn tokens revoke ${id}`)
  await terminal.printed('[y/N] ')
  terminal.write('y\r')
  expect(await terminal.ended()).toBe(0)
  await expect(posthorn.getToken({ token: id })).rejects.toMatchObject({ status: 404 })
})

test('Ctrl-C at a question ends the program, and the terminal shows what is typed again', async () => {
  await using terminal = open(
    'posthorn settings set-secret openAiAPIKey; echo "code $?"; read -r line; echo "read $line"',
  )
  await terminal.printed('Value of openAiAPIKey: ')
  terminal.write('\u0003')
  await terminal.printed('code 130')
  terminal.write('visible\r')
  await terminal.printed('read visible')
  expect(terminal.screen.split('visible')).toHaveLength(3)
})

test('Ctrl-C ends `webhooks listen`, which deletes its route', async () => {
  await using terminal = open('posthorn webhooks listen --account none')
  await terminal.printed('Ctrl-C ends the program')
  expect((await posthorn.listWebhookRoutes()).total).toBe(1)
  terminal.write('\u0003')
  expect(await terminal.ended()).toBe(130)
  expect((await posthorn.listWebhookRoutes()).total).toBe(0)
})

test('texts of others do not change the terminal', async () => {
  const description = `terminal ${escape}]0;title\u0007 ${uniqueAccount()}`
  await posthorn.createToken({ body: { description } })
  await using terminal = open('posthorn tokens list --query terminal')
  expect(await terminal.ended()).toBe(0)
  expect(terminal.screen).toContain(']0;title')
  expect(terminal.screen).not.toContain(escape)
})
