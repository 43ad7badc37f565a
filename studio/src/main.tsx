import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import './style/tokens.css'
import './style/base.css'
import { startTheme } from './style/theme.ts'

startTheme()
const place = document.getElementById('studio')
if (place === null) throw new Error('index.html has no place for the studio')
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
