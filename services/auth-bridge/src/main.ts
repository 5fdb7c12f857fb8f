import { run } from '@posthorn/service/run'
import { startApp } from './app.ts'
import { readConfig } from './config.ts'

await run({ name: 'auth-bridge', env: process.env, readConfig, startApp })
