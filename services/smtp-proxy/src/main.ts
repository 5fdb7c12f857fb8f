import { run } from '@posthorn/service/run'
import { startApp } from './app.ts'
import { readConfig } from './config.ts'

await run({ name: 'smtp-proxy', env: process.env, readConfig, startApp })
