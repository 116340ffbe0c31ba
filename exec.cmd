@rem The shell that runs "npm start" on Windows has no exec.
@%*
