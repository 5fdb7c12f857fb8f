import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Application } from './app/application.tsx'
import { applyTheme, readTheme } from './app/theme.ts'
import { DataProvider } from './data/data-provider.tsx'
import './styles/tokens.css'
import './styles/base.css'

applyTheme(readTheme(() => localStorage))

const root = document.getElementById('root')
if (!root) throw new Error('the page has no element with the id root')
createRoot(root).render(
  <StrictMode>
    <DataProvider>
      <Application />
    </DataProvider>
  </StrictMode>,
)
