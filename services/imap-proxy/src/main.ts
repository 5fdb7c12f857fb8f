import { setFlagsFromString } from 'node:v8'
import { run } from '@posthorn/service/run'
import { startApp } from './app.ts'
import { readConfig } from './config.ts'

// Limits V8's young generation to its initial size. Garbage of logins would make the young
// generation grow by 100 MB, which exceeds the memory of thousands of idle sessions. Relayed bytes
// are outside the heap.
setFlagsFromString('--semi-space-growth-factor=1')
await run({ name: 'imap-proxy', env: process.env, readConfig, startApp })
