"""A client of `syncline mcp`: SCENE PROGRAM DIRECTORY [OPTION…]. Prints what it saw as JSON."""

import asyncio
import json
import os
import sys
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

scene, program, directory, *options = sys.argv[1:]
TINY = {"studies": ["tiny.toml"], "dir": "disk", "budget": "5m"}
LONG = {**TINY, "profile": "long"}


def plain(result):
    text = "".join(block.text for block in result.content)
    return {"is_error": bool(result.is_error), "structured": result.structured_content, "text": text}


def processes():
    """Syncline's processes at work in the directory."""
    found = 0
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.path.realpath(f"/proc/{entry}/cwd") == os.path.realpath(directory):
                found += os.path.realpath(f"/proc/{entry}/exe") == os.path.realpath(program)
        except OSError:
            pass
    return found


async def until_progress(session, arguments):
    """Starts a run; returns it when its first trials have ended."""
    begun = asyncio.Event()

    async def progress(done, total, message):
        if done >= 2:
            begun.set()

    call = asyncio.create_task(session.call_tool("run", arguments, progress_callback=progress))
    waiting = asyncio.create_task(begun.wait())
    await asyncio.wait([call, waiting], return_when=asyncio.FIRST_COMPLETED)
    assert not call.done(), call.result()
    return call


async def measure(session):
    tools = (await session.list_tools()).tools
    steps = []

    async def progress(done, total, message):
        steps.append([done, total])

    run = await session.call_tool("run", TINY, progress_callback=progress)
    report = await session.call_tool("report", {"run": "latest"})
    return {"tools": [tool.name for tool in tools], "run": plain(run), "progress": steps, "report": plain(report)}


async def tools(session):
    """Each tool to its result; for those that take a while, the progress too."""
    seen = {}
    for name, arguments in [
        ("check", {"dir": "disk", "rounds": 1}),
        ("audit", {"file": "latest"}),
        ("advise", {"run": "latest"}),
        ("observe", {"dir": "disk", "time": "2s"}),
        ("survive", {"databases": ["sqlite"], "promises": ["durability=full"], "crashes": 1, "rounds": 0, "dir": "disk"}),
    ]:
        steps = []

        async def progress(done, total, message):
            steps.append([done, total])

        result = await session.call_tool(name, arguments, progress_callback=progress)
        seen[name] = {**plain(result), "progress": steps}
    return seen


async def cancel(session):
    call = await until_progress(session, LONG)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    # The next measurement is refused until the one before has ended.
    while True:
        resumed = plain(await session.call_tool("run", {"resume": "latest", "budget": "10s"}))
        if "another call measures" not in resumed["text"]:
            break
        await asyncio.sleep(0.05)
    return {"resumed": resumed, "processes": processes() - 1}


async def bounds(session):
    return {"result": plain(await session.call_tool("run", LONG))}


async def refuse(session):
    calls = [
        ("check", {"dir": "/"}),
        ("check", {"dir": ".."}),
        ("check", {"dir": "link"}),
        ("check", {"rounds": 0}),
        ("prove", {"resume": "disk"}),
        ("observe", {"pid": 1}),
        ("check", {"unknown": 1}),
        ("run", {"studies": ["no-such-study"]}),
        ("run", {"budget": "2h"}),
        ("report", {"run": "link/etc"}),
        ("report", {"run": "disk"}),
        ("audit", {"file": "/etc/passwd"}),
        ("observe", {"dir": "/"}),
    ]
    return {"refused": [plain(await session.call_tool(name, arguments)) for name, arguments in calls]}


async def main():
    server = StdioServerParameters(command=program, args=["mcp", "--dir", directory, *options])
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            if scene == "leave":
                call = await until_progress(session, LONG)
                call.cancel()
                seen = {}
            else:
                scenes = {"measure": measure, "tools": tools, "cancel": cancel, "bounds": bounds, "refuse": refuse}
                seen = await scenes[scene](session)
    if scene == "leave":
        # The client may have killed the server, whose command then ends by itself.
        for _ in range(1200):
            if processes() == 0:
                break
            time.sleep(0.05)
        seen = {"processes": processes()}
    print(json.dumps(seen))


asyncio.run(main())
