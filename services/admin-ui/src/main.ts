import { run } from '@posthorn/service/run'
import { startApp } from './app.ts'
import { readConfig } from './config.ts'

await run({ name: 'admin-ui', env: process.env, readConfig, startApp })
