@rem The shell that runs "npm start" on Windows has no exec and no env, and its C library none of these settings.
@node --max-semi-space-size=16 --min-semi-space-size=16 dist\server\start.mjs
