-- Drives `syncpoint lsp` through Neovim's own client: one step, named by STEP, prints what an editor would show.

local folder, step = vim.env.FOLDER, vim.env.STEP
local PATIENCE = 20000 -- milliseconds

local function fail(what)
  print("FAILED: " .. what)
  vim.cmd("cquit 1")
end

local function open(name, filetype)
  vim.cmd("edit " .. vim.fn.fnameescape(folder .. "/" .. name))
  vim.bo.filetype = filetype
  local client = vim.lsp.start_client({ name = "syncpoint", cmd = { vim.env.SYNCPOINT, "lsp" }, root_dir = folder })
  if not client then fail("the server does not start") end
  vim.lsp.buf_attach_client(0, client)
  local ready = vim.wait(PATIENCE, function()
    local known = vim.lsp.get_client_by_id(client)
    return known ~= nil and known.initialized == true
  end, 20)
  if not ready then fail("the server is not ready") end
end

-- The answer to a request at a place of the buffer: the first place of a text, so many letters on.
local function ask(method, text, letters, more)
  local lines, row, column = vim.api.nvim_buf_get_lines(0, 0, -1, false), nil, nil
  for number, line in ipairs(lines) do
    local at = line:find(text, 1, true)
    if at and not row then row, column = number, at - 1 + (letters or 0) end
  end
  if not row then fail("no such text: " .. text) end
  vim.api.nvim_win_set_cursor(0, { row, column })
  local parameters = vim.lsp.util.make_position_params()
  for key, value in pairs(more or {}) do parameters[key] = value end
  local answers, why = vim.lsp.buf_request_sync(0, method, parameters, PATIENCE)
  if not answers then fail(why or "no answer") end
  for _, answer in pairs(answers) do
    if answer.error then return nil, answer.error.message end
    return answer.result
  end
end

local function messages()
  local texts = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    table.insert(texts, (diagnostic.lnum + 1) .. ": " .. diagnostic.message:gsub("\n.*", ""))
  end
  return texts
end

local function replace(from, to)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  for number, line in ipairs(lines) do
    local at, last = line:find(from, 1, true)
    if at then
      vim.api.nvim_buf_set_lines(0, number - 1, number, false, { line:sub(1, at - 1) .. to .. line:sub(last + 1) })
      return
    end
  end
  fail("no such text: " .. from)
end

local function place(location)
  local found = vim.tbl_islist(location) and location[1] or location
  local uri, range = found.uri or found.targetUri, found.range or found.targetSelectionRange
  return vim.fn.fnamemodify(vim.uri_to_fname(uri), ":t") .. ":" .. (range.start.line + 1)
end

local steps = {}

function steps.messages()
  open("programs/SHOWS.cbl", "cobol")
  replace("TO WS-KEY", "TO WS-NOKEY")
  if not vim.wait(PATIENCE, function() return #messages() > 0 end, 20) then fail("no message") end
  print(table.concat(messages(), "\n"))
  replace("TO WS-NOKEY", "TO WS-KEY")
  if not vim.wait(PATIENCE, function() return #messages() == 0 end, 20) then fail("the message stays") end
  print("gone once it is mended, without saving")
end

function steps.definition()
  open("programs/SHOWS.cbl", "cobol")
  print("paragraph " .. place(ask("textDocument/definition", "PERFORM READ-ACCOUNT", 10)))
  print("copybook item " .. place(ask("textDocument/definition", "INTO(ACCOUNT-RECORD", 6)))
end

function steps.hover()
  open("programs/SHOWS.cbl", "cobol")
  print(vim.inspect(ask("textDocument/hover", "TO WS-KEY", 4)))
  print(vim.inspect(ask("textDocument/hover", "CICS READ", 6)))
end

function steps.completion()
  open("programs/SHOWS.cbl", "cobol")
  replace("EXEC CICS RETURN", "EXEC CICS RE END-EXEC EXEC CICS RETURN")
  local answer = ask("textDocument/completion", "CICS RE END", 7)
  local names = {}
  for _, item in ipairs(answer.items or answer) do table.insert(names, item.label) end
  print(table.concat(names, " "))
end

function steps.rename()
  open("programs/SHOWS.cbl", "cobol")
  local edit = ask("textDocument/rename", "TO WS-KEY", 4, { newName = "WS-NUMBER" })
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  local _, renamed = text:gsub("WS%-NUMBER", "")
  local _, left = text:gsub("WS%-KEY", "")
  print("renamed " .. renamed .. ", left " .. left)
  local _, why = ask("textDocument/rename", "TO WS-NUMBER", 4, { newName = "MOVE" })
  print("refused: " .. tostring(why))
end

function steps.formatting()
  open("programs/SHOWS.cbl", "cobol")
  replace("TO WS-KEY", "TO WS-KEY     ")
  local answers = vim.lsp.buf_request_sync(0, "textDocument/formatting", vim.lsp.util.make_formatting_params(), PATIENCE)
  for _, answer in pairs(answers or {}) do vim.lsp.util.apply_text_edits(answer.result, 0, "utf-16") end
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  print(text:find(" \n") and "blanks stay" or "no blanks at the end of a line")
end

function steps.map()
  open("maps/ASKS.bms", "bms")
  print(vim.inspect(ask("textDocument/documentSymbol", "DFHMDI")))
end

steps[step]()
vim.cmd("qall!")
